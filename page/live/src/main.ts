import { mount } from 'svelte';
import '../../src/style.css';
import Live from './Live.svelte';
import './live.css';

mount(Live, { target: document.getElementById('page')! });
