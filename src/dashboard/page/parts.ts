/** Small things that every page uses. */
import type { ComponentChild, ComponentChildren } from 'preact'
import { cut, visible } from './format.ts'
import { h, type View } from './h.ts'

/** Text of users: never markup, cut to a line, the whole of it in the title. */
export function Text({ value, max }: { readonly value: string | null; readonly max?: number }): View {
  if (value === null) return h('span', { class: 'faint' }, 'none')
  if (value === '') return h('span', { class: 'faint' }, 'empty')
  return h('code', { class: 'user-text', title: visible(value.slice(0, 4_000)) }, cut(value, max))
}

export function Meter(props: { readonly used: number; readonly limit: number; readonly label: string }): View {
  const part = props.limit > 0 ? Math.min(1, props.used / props.limit) : 0
  return h(
    'div',
    { class: 'meter', role: 'img', 'aria-label': `${props.label}: ${Math.round(part * 100)} percent` },
    h('div', { class: part >= 0.95 ? 'meter-bar meter-full' : 'meter-bar', style: { transform: `scaleX(${part})` } }),
  )
}

export interface Column<Row> {
  readonly title: string
  /** CSS width; columns keep it while figures change. */
  readonly width: string
  readonly isNumber?: boolean
  cell(row: Row): ComponentChild
}

export interface TableProps<Row> {
  readonly caption: string
  readonly columns: readonly Column<Row>[]
  readonly rows: readonly Row[]
  /** What stands there when there are no rows: what that means, or what to do. */
  readonly empty: string
}

/** On narrow screens each row becomes a block, each cell with its title in front. */
export function Table<Row>({ caption, columns, rows, empty }: TableProps<Row>): View {
  if (rows.length === 0) return h('p', { class: 'empty' }, empty)
  return h(
    'table',
    null,
    h('caption', { class: 'only-heard' }, caption),
    h(
      'colgroup',
      null,
      columns.map(({ title, width }) => h('col', { key: title, style: { width } })),
    ),
    h(
      'thead',
      null,
      h(
        'tr',
        null,
        columns.map(({ title, isNumber }) =>
          h('th', { key: title, scope: 'col', class: isNumber === true ? 'number' : '' }, title),
        ),
      ),
    ),
    h(
      'tbody',
      null,
      rows.map((row, i) =>
        h(
          'tr',
          // By place, not by name: rows that change places change their text, and nothing on the screen moves.
          { key: i },
          columns.map((column) =>
            h(
              'td',
              { key: column.title, 'data-title': column.title, class: column.isNumber === true ? 'number' : '' },
              column.cell(row),
            ),
          ),
        ),
      ),
    ),
  )
}

export function Section(props: {
  readonly title: string
  readonly aside?: ComponentChildren
  readonly children: ComponentChildren
}): View {
  return h(
    'section',
    null,
    h('div', { class: 'section-head' }, h('h2', null, props.title), h('div', { class: 'section-aside' }, props.aside)),
    props.children,
  )
}

export function Button(props: {
  readonly onClick: () => void
  readonly title?: string
  readonly isDisabled?: boolean
  readonly children: ComponentChildren
}): View {
  return h(
    'button',
    {
      type: 'button',
      class: 'quiet',
      onClick: props.onClick,
      disabled: props.isDisabled === true,
      ...(props.title === undefined ? {} : { title: props.title }),
    },
    props.children,
  )
}

export const Waiting = (): View => h('p', { class: 'empty' }, 'Waiting for the first figures…')

/** For pages about what is inside of a consumer, where only the brokers are asked. */
export const FromOutside = ({ what }: { readonly what: string }): View =>
  h(
    'p',
    { class: 'empty' },
    `${what} are inside of the consumer and cannot be seen from outside. Start it with a dashboard of its own to see them here.`,
  )
