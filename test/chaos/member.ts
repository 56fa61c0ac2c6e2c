/** One place in the group: a consumer process that is killed, frozen and started again, each life under a name of its own. */
import { type ChildProcess, fork, spawn } from 'node:child_process'
import { closeSync, openSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { until } from '../support/wait.ts'
import type { HandlerSpec } from './handler-spec.ts'
import type { MemberNews, MemberOrder, MemberSpec } from './member-main.ts'

const main = fileURLToPath(new URL('member-main.ts', import.meta.url))
const startWithinMs = 120_000
const closeWithinMs = 60_000
const frozenSecondsMax = 30

export interface Template extends Pick<MemberSpec, 'options'> {
  readonly handler: Omit<HandlerSpec, 'member'>
}

export class Member {
  readonly name: string
  readonly #template: Template
  readonly #heapMb: number | null
  #life = 0
  #child: ChildProcess | null = null
  #isKilled = false
  /** Lives that ended although nobody had ended them, with what is known of it. */
  readonly deaths: string[] = []

  constructor(name: string, template: Template, heapMb: number | null = null) {
    this.name = name
    this.#template = template
    this.#heapMb = heapMb
  }

  get isAlive(): boolean {
    return this.#child !== null
  }

  /** Resolves when the consumer has started; the group may still keep it waiting. */
  async start(): Promise<void> {
    if (this.#child !== null) throw new Error(`${this.name} is running`)
    const life = `${this.name}.${++this.#life}`
    const { options, handler } = this.#template
    const spec: MemberSpec = {
      handler: { ...handler, member: life },
      // The proxy knows our connections by it.
      options: { ...options, client: { ...options.client, clientId: this.name } },
    }
    const log = openSync(join(handler.directory, `${this.name}.log`), 'a')
    const child = fork(main, [JSON.stringify(spec)], {
      stdio: ['ignore', log, log, 'ipc'],
      execArgv: this.#heapMb === null ? [] : [`--max-old-space-size=${this.#heapMb}`],
    })
    closeSync(log)
    this.#child = child
    this.#isKilled = false
    const news: MemberNews[] = []
    child.on('message', (message: MemberNews) => {
      news.push(message)
      if (message.kind === 'stopped') this.deaths.push(`${life} has stopped by itself: ${message.why}`)
    })
    child.once('exit', (code, signal) => {
      if (this.#child !== child) return
      this.#child = null
      if (!this.#isKilled) this.deaths.push(`${life} ended by itself with ${signal ?? code}`)
    })
    const isOver = (): boolean => child.exitCode !== null || child.signalCode !== null
    await until(`${life} starts`, () => news.some(({ kind }) => kind === 'started') || isOver(), startWithinMs)
  }

  async kill(): Promise<void> {
    const child = this.#child
    if (child === null) return
    this.#isKilled = true
    const exited = new Promise<void>((resolve) => child.once('exit', () => resolve()))
    child.kill('SIGKILL')
    await exited
  }

  /** Should we die meanwhile, it must not stay frozen for ever. */
  freeze(): void {
    const pid = this.#child?.pid
    if (pid === undefined) return
    spawn('sh', ['-c', `sleep ${frozenSecondsMax}; kill -CONT ${pid}`], { detached: true, stdio: 'ignore' }).unref()
    this.#child?.kill('SIGSTOP')
  }

  thaw(): void {
    this.#child?.kill('SIGCONT')
  }

  /** It writes to its log what it is doing. */
  tell(): void {
    this.#order('tell')
  }

  #order(order: MemberOrder): void {
    this.#child?.send(order)
  }

  /** In good order: drained, committed, left. One that does not come to an end is killed, and that is a death. */
  async close(): Promise<void> {
    const child = this.#child
    if (child === null) return
    this.#isKilled = true
    this.#order('close')
    try {
      await until(`${this.name} closes`, () => this.#child !== child, closeWithinMs)
    } catch (error) {
      this.deaths.push(`${this.name}.${this.#life}: ${(error as Error).message}`)
      await this.kill()
    }
  }
}
