/** A further member of the group, in a process of its own: it tells its parent what happens, and can be killed. */
import { SystemClock } from '../../system-clock.ts'
import { startWorker, type WorkerOptions } from './worker.ts'

const { send } = process
if (send === undefined) throw new Error('The demo starts this.')
const tell = send.bind(process)

// The terminal's Ctrl-C goes to all: the parent says when to leave.
process.on('SIGINT', () => undefined)
process.once('message', async (options: WorkerOptions) => {
  const consumer = await startWorker(options, new SystemClock(), (told) => tell(told))
  const leave = async (): Promise<void> => {
    await consumer.close()
    process.disconnect()
  }
  process.once('message', leave)
  process.once('disconnect', () => process.exit())
})
