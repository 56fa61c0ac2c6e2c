/** A member in a thread of its own, for a test whose event loop stands still. Says its share whenever that changes. */
import { parentPort, workerData } from 'node:worker_threads'
import { Member, type MemberOptions } from './kip848-member.ts'

const member = new Member(workerData as MemberOptions)
let said = -1
setInterval(() => {
  if (member.count === said) return
  said = member.count
  parentPort?.postMessage(said)
}, 20)
