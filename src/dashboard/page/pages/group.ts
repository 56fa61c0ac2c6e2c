/** Who shares the work, who has what, and how that changed. */

import type { MemberFrame, RebalanceFrame } from '../../frames.ts'
import { count, cut, timeOfDay, visible } from '../format.ts'
import { h, type View } from '../h.ts'
import type { PageProps } from '../page-props.ts'
import { type Column, Section, Table, Text, Waiting } from '../parts.ts'
import { things } from '../words.ts'

const namedMax = 12

export function Group({ frame }: PageProps): View {
  const { detail, at } = frame
  if (detail.page !== 'group') return h(Waiting, null)
  const names = new Map(frame.instances.map(({ id, name }) => [id, name]))
  const memberColumns: Column<MemberFrame>[] = [
    { title: 'Client', width: '18%', cell: (row) => h(Text, { value: row.clientId }) },
    { title: 'Host', width: '14%', cell: (row) => h(Text, { value: row.host }) },
    { title: 'Member id', width: '22%', cell: (row) => h(Text, { value: row.id, max: 40 }) },
    { title: 'Count', width: '8%', isNumber: true, cell: (row) => count(row.partitions.length) },
    { title: 'Partitions', width: '38%', cell: (row) => listed(row.partitions, row.partitions.length) },
  ]
  const changeColumns: Column<RebalanceFrame>[] = [
    { title: 'When', width: '14%', cell: (row) => timeOfDay(row.at, at) },
    { title: 'Instance', width: '22%', cell: (row) => h(Text, { value: names.get(row.instance) ?? row.instance }) },
    {
      title: 'Change',
      width: '14%',
      cell: (row) =>
        h(
          'span',
          { class: `tag ${row.change === 'lost' ? 'tag-bad' : row.change === 'assigned' ? 'tag-good' : ''}` },
          row.change,
        ),
    },
    { title: 'Count', width: '8%', isNumber: true, cell: (row) => count(row.count) },
    { title: 'Partitions', width: '42%', cell: (row) => listed(row.partitions, row.count) },
  ]
  return h(
    'div',
    { class: 'page' },
    h(
      Section,
      { title: 'Members', aside: things(detail.members.length, 'member') },
      h(Table<MemberFrame>, {
        caption: 'Members of the group and what they hold',
        columns: memberColumns,
        rows: detail.members,
        empty: 'No members are known: the group is empty, or it has fixed partitions.',
      }),
    ),
    h(
      Section,
      { title: 'Rebalances', aside: 'newest first' },
      h(Table<RebalanceFrame>, {
        caption: 'Changes of the assignment, newest first',
        columns: changeColumns,
        rows: detail.rebalances.toSorted((a, b) => b.at - a.at),
        empty: 'No partition has come or gone since the dashboard began to look.',
      }),
    ),
  )
}

/** The first few names; all that are known are in the title. */
function listed(names: readonly string[], total: number): View {
  const shown = names.slice(0, namedMax).map((name) => cut(name, 40))
  const more = total - shown.length
  return h(
    'span',
    { title: visible(names.slice(0, 200).join(', ')) },
    `${shown.join(', ')}${more > 0 ? ` and ${count(more)} more` : ''}`,
  )
}
