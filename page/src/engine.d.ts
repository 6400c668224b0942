declare module '@engine/hapax.wasm?url' {
  const url: string;
  export default url;
}
