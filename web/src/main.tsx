import { ready } from './kit/language';
import './style.css';

// Texts are asked for while modules load, so all of them wait for the language.
void ready().then(() => import('./start'));
