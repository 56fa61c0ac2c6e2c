/** `npm run kafka` leaves nothing behind, however it ends. */
import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, test } from 'node:test'
import { root } from '../../scripts/files.ts'
import { KafkaUnavailable, kafkaJars } from '../../scripts/kafka/jars.ts'
import { loudly } from '../support/targets.ts'
import { until, within } from '../support/wait.ts'

type Started = { readonly brokers: string[]; readonly pids: number[]; readonly directory: string }

/** A process that has ended may stay as a zombie where nobody waits for it. */
function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
  } catch {
    return false
  }
  try {
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return !existsSync('/proc')
  }
}

const reason = await kafkaJars().then(
  () => undefined,
  (error: unknown) => {
    if (error instanceof KafkaUnavailable) return error.message
    throw error
  },
)

if (reason !== undefined) loudly(`npm run kafka NOT RUN: ${reason}`)
else if (process.env.FANLANE_TARGET !== 'embedded') {
  describe('npm run kafka', { timeout: 120_000 }, () => {
    for (const [how, signal] of [
      ['is told to stop', 'SIGTERM'],
      ['gets Ctrl-C', 'SIGINT'],
      ['is killed', 'SIGKILL'],
    ] as const) {
      // Left-over brokers eat a machine's memory within a day of testing.
      test(`stops Kafka and removes its directory when it ${how}`, async () => {
        const child = spawn(process.execPath, [join(root, 'scripts', 'kafka.ts'), '--json'], {
          stdio: ['ignore', 'pipe', 'inherit'],
        })
        let output = ''
        child.stdout.setEncoding('utf8').on('data', (text: string) => {
          output += text
        })
        await until('the address', () => output.includes('\n'), 60_000)
        const { brokers, pids, directory } = JSON.parse(output) as Started
        assert.match(brokers[0] ?? '', /^127\.0\.0\.1:\d+$/)
        assert.equal(pids.length, 1)
        assert.ok(pids.every(isRunning))
        assert.ok(existsSync(directory))
        const ended = new Promise((resolve) => child.once('close', resolve))
        child.kill(signal)
        await within('the script ends', ended)
        await until('nothing left', () => !pids.some(isRunning) && !existsSync(directory))
      })
    }
  })
}
