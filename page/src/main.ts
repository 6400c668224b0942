import { mount } from 'svelte';
import App from './App.svelte';
import './style.css';
import './picture.css';
import './views.css';
import './media.css';

mount(App, { target: document.getElementById('page')! });
