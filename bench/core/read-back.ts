/** What is in a topic, as a Java reader of committed records sees it: in a process that has nothing of ours in it. */
import { rmSync } from 'node:fs'
import { commandOf } from '../contenders/index.ts'
import { type Events, readEvents } from './events.ts'
import type { Plan } from './plan.ts'
import { Process } from './processes.ts'
import type { Stage } from './stage.ts'

const timeoutMs = 180_000

export async function readBack(stage: Stage, topic: string, plan: Plan): Promise<Events> {
  const task = stage.task({ topic, plan }, { order: 'key', concurrency: 1, handlerMs: 0 })
  const { file, kind } = task.events
  const reader = { name: 'copier', title: 'the reader', java: 'kafka', main: 'ReadBack', commits: false } as const
  await new Process(await commandOf(reader, task)).outcome(timeoutMs)
  const events = readEvents(file, kind)
  rmSync(file, { force: true })
  return events
}
