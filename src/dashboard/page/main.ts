/** Where the page begins. */
import { render } from 'preact'
import { App } from './app.ts'
import { h } from './h.ts'
import { applyTheme } from './theme.ts'

applyTheme()
const place = document.getElementById('app')
if (place !== null) render(h(App, null), place)
