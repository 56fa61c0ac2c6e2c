/** Starts consumers in processes of their own, which can be frozen and killed. All of them end with the test. */
import { type ChildProcess, fork } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestContext } from 'node:test'
import { fileURLToPath } from 'node:url'
import { until, within } from '../../support/wait.ts'
import { cleanUp } from './cleanup.ts'
import type { Ledger } from './ledger.ts'
import type { MemberNews, MemberOrder, MemberSpec } from './member-main.ts'

const main = fileURLToPath(new URL('member-main.ts', import.meta.url))

export class MemberProcess {
  readonly news: MemberNews[] = []
  readonly held: Set<string> = new Set()
  readonly #child: ChildProcess
  readonly #ended: Promise<void>

  constructor(child: ChildProcess) {
    this.#child = child
    this.#ended = new Promise((resolve) => child.once('exit', () => resolve()))
    child.on('message', (news: MemberNews) => {
      this.news.push(news)
      if (news.kind === 'assigned') for (const each of news.partitions) this.held.add(each)
      if (news.kind === 'revoked') for (const each of news.partitions) this.held.delete(each)
    })
  }

  tell(order: MemberOrder): void {
    this.#child.send(order)
  }

  async hears<Kind extends MemberNews['kind']>(
    kind: Kind,
    after = 0,
  ): Promise<Extract<MemberNews, { readonly kind: Kind }>> {
    const isIt = (news: MemberNews): news is Extract<MemberNews, { readonly kind: Kind }> => news.kind === kind
    return until(`it says '${kind}'`, () => {
      const found = this.news.slice(after).find(isIt)
      if (found === undefined && this.#child.exitCode !== null) throw new Error(`it ended without '${kind}'`)
      return found
    })
  }

  freeze(): void {
    this.#child.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child.kill('SIGCONT')
  }

  async kill(): Promise<void> {
    this.#child.kill('SIGKILL')
    await this.#ended
  }

  async close(order: 'close' | 'leave' = 'close'): Promise<void> {
    this.tell(order)
    await within('the process ends', this.#ended)
  }
}

export async function startMember(
  t: TestContext,
  ledger: Ledger,
  spec: Omit<MemberSpec, 'ledgerFile'>,
): Promise<MemberProcess> {
  const directory = mkdtempSync(join(tmpdir(), 'fanlane-member-'))
  const ledgerFile = join(directory, 'ledger')
  writeFileSync(ledgerFile, '')
  ledger.include(ledgerFile)
  const child = fork(main, [JSON.stringify({ ...spec, ledgerFile })], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const member = new MemberProcess(child)
  cleanUp(t, async () => {
    await member.kill()
    rmSync(directory, { recursive: true, force: true })
  })
  await member.hears('started')
  return member
}
