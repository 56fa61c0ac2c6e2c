/** What failed and will be tried again, and keys that were stopped because too much of them failed. */

import type { ParkedFrame, WaitingFrame } from '../../frames.ts'
import { releaseKey } from '../actions.ts'
import { age, count } from '../format.ts'
import { h, type View } from '../h.ts'
import type { PageProps } from '../page-props.ts'
import { Button, type Column, FromOutside, Section, Table, Text, Waiting } from '../parts.ts'
import { nameOf } from '../words.ts'

export function Retries({ frame, ask, hello }: PageProps): View {
  const { detail, at } = frame
  if (detail.page !== 'retries') return h(Waiting, null)
  if (hello.source === 'outside') return h(FromOutside, { what: 'Retries and parked keys' })
  const parkedColumns: Column<ParkedFrame>[] = [
    { title: 'Key', width: '20%', cell: (row) => h(Text, { value: row.key }) },
    { title: 'Partition', width: '15%', cell: (row) => nameOf(row) },
    { title: 'Parked for', width: '12%', isNumber: true, cell: (row) => age(at - row.since) },
    { title: 'Records', width: '9%', isNumber: true, cell: (row) => count(row.depth) },
    { title: 'Poisons', width: '9%', isNumber: true, cell: (row) => count(row.poisons) },
    { title: 'Why', width: '25%', cell: (row) => h(Text, { value: row.why, max: 120 }) },
  ]
  if (ask !== null) {
    parkedColumns.push({
      title: 'Action',
      width: '10%',
      cell: (row) => h(Button, { onClick: () => ask(releaseKey(row, row.key, row.depth)) }, 'Release…'),
    })
  }
  const waitingColumns: Column<WaitingFrame>[] = [
    { title: 'Record', width: '20%', cell: (row) => `${nameOf(row)}@${row.offset}` },
    { title: 'Key', width: '18%', cell: (row) => h(Text, { value: row.key }) },
    { title: 'Attempts so far', width: '11%', isNumber: true, cell: (row) => count(row.attempt) },
    { title: 'Next one', width: '11%', isNumber: true, cell: (row) => dueIn(row.dueAt - at) },
    { title: 'Last error', width: '40%', cell: (row) => h(Text, { value: row.error, max: 160 }) },
  ]
  return h(
    'div',
    { class: 'page' },
    h(
      Section,
      { title: 'Parked keys', aside: count(detail.parked.length) },
      h(Table<ParkedFrame>, {
        caption: 'Keys that are parked until they are released',
        columns: parkedColumns,
        rows: detail.parked,
        empty: 'No key is parked. A key is parked when its records fail for good again and again, if `breaker` is set.',
      }),
    ),
    h(
      Section,
      {
        title: 'Waiting for the next attempt',
        aside:
          detail.waitingTotal > detail.waiting.length
            ? `soonest ${count(detail.waiting.length)} of ${count(detail.waitingTotal)}`
            : count(detail.waitingTotal),
      },
      h(Table<WaitingFrame>, {
        caption: 'Records that wait for their next attempt, soonest first',
        columns: waitingColumns,
        rows: detail.waiting,
        empty: 'Nothing waits for a retry. Records that fail and may be tried again appear here, with when and why.',
      }),
    ),
  )
}

const dueIn = (ms: number): string => (ms > 500 ? `in ${age(ms)}` : 'now')
