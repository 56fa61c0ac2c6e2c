/** What went wrong lately, and what people did about it. */

import { useState } from 'preact/hooks'
import type { AuditFrame, ErrorFrame } from '../../frames.ts'
import { count, timeOfDay } from '../format.ts'
import { h, type View } from '../h.ts'
import type { PageProps } from '../page-props.ts'
import { Button, type Column, Section, Table, Text, Waiting } from '../parts.ts'

/** So that the audit log below is not far. */
const shownMax = 10

export function Errors({ frame, hello }: PageProps): View {
  const { detail, at } = frame
  const [isWhole, setWhole] = useState(false)
  const [kind, setKind] = useState<ErrorFrame['kind'] | null>(null)
  if (detail.page !== 'errors') return h(Waiting, null)
  const names = new Map(frame.instances.map(({ id, name }) => [id, name]))
  const kinds = [...new Set(detail.errors.map((error) => error.kind))].sort()
  // Retries are many: what matters more must not be lost among them.
  const wanted = kind !== null && kinds.includes(kind) ? kind : null
  const errors = newestFirst(detail.errors.filter((error) => wanted === null || error.kind === wanted))
  const isShared = frame.instances.length > 1
  const errorColumns: Column<ErrorFrame>[] = [
    { title: 'When', width: '11%', cell: (row) => timeOfDay(row.at, at) },
    { title: 'Kind', width: '11%', cell: (row) => h('span', { class: `tag ${tone(row.kind)}` }, row.kind) },
    { title: 'Where', width: '17%', cell: (row) => (row.where === null ? '–' : h(Text, { value: row.where })) },
    { title: 'Code', width: '16%', cell: (row) => h(Text, { value: row.code, max: 40 }) },
    { title: 'Message', width: isShared ? '30%' : '45%', cell: (row) => h(Text, { value: row.message, max: 200 }) },
  ]
  if (isShared) {
    errorColumns.push({
      title: 'Instance',
      width: '15%',
      cell: (row) => h(Text, { value: names.get(row.instance) ?? row.instance, max: 24 }),
    })
  }
  const auditColumns: Column<AuditFrame>[] = [
    { title: 'When', width: '11%', cell: (row) => timeOfDay(row.at, at) },
    { title: 'What', width: '34%', cell: (row) => h(Text, { value: row.what, max: 100 }) },
    {
      title: 'Outcome',
      width: '11%',
      cell: (row) => h('span', { class: `tag ${row.outcome === 'done' ? 'tag-good' : 'tag-bad'}` }, row.outcome),
    },
    {
      title: 'Message',
      width: '28%',
      cell: (row) => (row.message === null ? '–' : h(Text, { value: row.message, max: 140 })),
    },
    { title: 'Asked from', width: '16%', cell: (row) => h(Text, { value: row.who }) },
  ]
  return h(
    'div',
    { class: 'page' },
    h(
      Section,
      { title: 'What went wrong', aside: 'newest first' },
      kinds.length < 2
        ? null
        : h(
            'div',
            { class: 'toolbar chips', role: 'group', 'aria-label': 'Kinds' },
            [null, ...kinds].map((one) =>
              h(
                'button',
                {
                  key: one ?? 'all',
                  type: 'button',
                  class: 'chip',
                  'aria-pressed': one === wanted ? 'true' : 'false',
                  onClick: () => setKind(one),
                },
                one ?? 'all',
                h(
                  'span',
                  { class: 'chip-count' },
                  count(detail.errors.filter((error) => one === null || error.kind === one).length),
                ),
              ),
            ),
          ),
      h(Table<ErrorFrame>, {
        caption: 'Errors, newest first',
        columns: errorColumns,
        rows: isWhole ? errors : errors.slice(0, shownMax),
        empty:
          hello.source === 'outside'
            ? 'Errors are inside of the consumer and cannot be seen from outside.'
            : 'No errors. Failed attempts, dead letters and stalls appear here as they happen.',
      }),
      errors.length <= shownMax
        ? null
        : h(Button, { onClick: () => setWhole(!isWhole) }, isWhole ? 'Show fewer' : `Show all ${count(errors.length)}`),
    ),
    h(
      Section,
      { title: 'Audit log', aside: 'newest first' },
      h(Table<AuditFrame>, {
        caption: 'Actions that were asked for, newest first',
        columns: auditColumns,
        rows: newestFirst(detail.audit),
        empty:
          hello.actions === 'off'
            ? 'No actions: this dashboard can only be looked at. Start it with `allowActions` to change that.'
            : 'No action was asked for yet. Each one is written down here, whatever came of it.',
      }),
    ),
  )
}

const newestFirst = <T extends { readonly at: number }>(list: readonly T[]): readonly T[] =>
  list.toSorted((a, b) => b.at - a.at)

const tones: Readonly<Record<ErrorFrame['kind'], string>> = {
  error: 'tag-bad',
  'dead-letter': 'tag-bad',
  fenced: 'tag-bad',
  stalled: 'tag-bad',
  parked: 'tag-warn',
  retry: 'tag-warn',
  skipped: 'tag-warn',
}
const tone = (kind: ErrorFrame['kind']): string => tones[kind] ?? ''
