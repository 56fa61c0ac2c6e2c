/**
 * Colours of what is drawn on canvases. States differ in hue, in lightness and in height, so that they can be told apart by
 * people who see fewer colours, and on paper: the higher a cell, the more it needs a look.
 */
import type { Theme } from './theme.ts'
import type { CellState } from './words.ts'

export interface CellStyle {
  readonly colour: string
  /** Part of the height of the strip. */
  readonly height: number
  /** Lines across, in this colour. */
  readonly hatch?: string
}

interface Palette {
  readonly cells: Readonly<Record<CellState, CellStyle>>
  readonly ground: string
  readonly marker: string
  readonly cursor: string
  readonly axis: string
  readonly grid: string
  /** Lines of charts, the most important one first. */
  readonly lines: readonly [string, string]
}

export const palettes: Readonly<Record<Theme, Palette>> = {
  light: {
    cells: {
      c: { colour: '#b9c4d0', height: 0.34 },
      f: { colour: '#1d5fbf', height: 0.62 },
      r: { colour: '#f0a202', height: 1 },
      w: { colour: '#9c1c4b', height: 1, hatch: '#f3c6d6' },
      q: { colour: '#7fb6de', height: 0.48 },
      u: { colour: '#cfd8e2', height: 0.12 },
    },
    ground: '#edf1f5',
    marker: '#b3123f',
    cursor: '#111827',
    axis: '#5b6675',
    grid: '#e3e8ee',
    lines: ['#1d5fbf', '#c77700'],
  },
  dark: {
    cells: {
      c: { colour: '#5d6b7f', height: 0.34 },
      f: { colour: '#4d8ff0', height: 0.62 },
      r: { colour: '#ffc44d', height: 1 },
      w: { colour: '#e0457f', height: 1, hatch: '#5a0f2e' },
      q: { colour: '#9fd0f2', height: 0.48 },
      u: { colour: '#3a4657', height: 0.12 },
    },
    ground: '#1f2935',
    marker: '#ff7aa8',
    cursor: '#f3f6fa',
    axis: '#93a0b2',
    grid: '#232d3a',
    lines: ['#5b9bff', '#ffc44d'],
  },
}
