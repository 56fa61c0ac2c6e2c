/** A redrive in a process of its own, so that it can be killed; says over IPC how far it is. */
import { openDeadLetterBox } from '../../../src/dead-letters/box.ts'

const { brokers, topic } = JSON.parse(process.argv[2] ?? '') as { brokers: readonly string[]; topic: string }
const box = await openDeadLetterBox({ brokers })
const { redriven } = await box.redrive({ topic, progress: (done) => process.send?.({ done }) })
process.send?.({ redriven })
await box.close()
process.disconnect()
