/** Where the time goes: parts of a CPU profile by the folders of the build. */
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { CpuProfile } from '../../../bench/core/flame.ts'
import { partsOf, timeSpent, timeSpentText } from '../../../bench/core/time-spent.ts'

const node = (id: number, functionName: string, url: string): CpuProfile['nodes'][number] => ({
  id,
  callFrame: { functionName, url, lineNumber: 0 },
  children: [],
})

const profile: CpuProfile = {
  nodes: [
    { ...node(1, '(root)', ''), children: [2, 3, 4, 5, 6, 7, 8] },
    node(2, 'step', 'file:///anywhere/build/kernel/step.js'),
    node(3, 'readBatches', 'file:///anywhere/build/clients/native/fetch/batch-reader.js'),
    node(4, '#call', 'file:///anywhere/build/engines/async.js'),
    node(5, '(garbage collector)', ''),
    node(6, '(idle)', ''),
    node(7, 'subarray', 'node:buffer'),
    node(8, '(program)', ''),
  ],
  samples: [2, 2, 3, 4, 5, 6, 7, 8],
  timeDeltas: [10, 20, 20, 10, 10, 1_000, 20, 10],
}

test('parts are shares of the time in which something was done, the largest first', () => {
  const parts = partsOf(profile)
  assert.deepEqual(
    parts.map(({ name, share }) => [name.split(':')[0], share]),
    [
      ['the control plane', 0.3],
      ['the wire', 0.2],
      ['Node', 0.2],
      ['calling handlers', 0.1],
      ['collecting garbage', 0.1],
      ['all else', 0.1],
    ],
  )
})

test('the page shows parts, functions, the command and the flame graph', () => {
  const taken = { date: '2026-01-01', commit: 'abcdef0123456789', changed: false, command: 'npm run bench' }
  const text = timeSpentText(timeSpent(profile, { workload: 'W4', taken }), 'flame.svg')
  assert.match(text, /\| the control plane[^|]*\| 30\.0 % \|/)
  assert.match(text, /`npm run bench`, commit `abcdef012345`\); \[flame graph\]\(images\/flame\.svg\)/)
  assert.match(text, /`step kernel\/step\.js:1`/)
  assert.doesNotMatch(text, /\(idle\)/)
})
