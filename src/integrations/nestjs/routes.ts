/**
 * Which handlers a topic has: those of its name, then those of patterns that match it, each in the order in which Nest
 * registered them. All of them run, one after the other.
 */
import type { MessageHandler } from '@nestjs/microservices'
import { OptionError } from '../../errors.ts'

export class Routes {
  readonly #named: Map<string, MessageHandler[]> = new Map()
  readonly #patterns: { readonly pattern: RegExp; readonly handler: MessageHandler }[] = []
  readonly #found: Map<string, readonly MessageHandler[]> = new Map()

  /** For `consume({ topics })`. */
  get topics(): readonly (string | RegExp)[] {
    return [...this.#named.keys(), ...this.#patterns.map(({ pattern }) => pattern)]
  }

  add(pattern: unknown, handler: MessageHandler): void {
    this.#found.clear()
    if (pattern instanceof RegExp) {
      // `g` and `y` remember where they stopped: the same topic would match only every other time.
      this.#patterns.push({ pattern: new RegExp(pattern.source, pattern.flags.replaceAll(/[gy]/g, '')), handler })
    } else if (typeof pattern === 'string' && pattern !== '') {
      this.#named.set(pattern, [...(this.#named.get(pattern) ?? []), handler])
    } else {
      throw new OptionError(
        'NEST_PATTERN_INVALID',
        'pattern',
        "A pattern is the name of a topic or a RegExp: @EventPattern('orders'), @EventPattern(/^orders\\./).",
      )
    }
  }

  of(topic: string): readonly MessageHandler[] {
    const known = this.#found.get(topic)
    if (known !== undefined) return known
    const matching = this.#patterns.filter(({ pattern }) => pattern.test(topic)).map(({ handler }) => handler)
    const found = [...(this.#named.get(topic) ?? []), ...matching]
    this.#found.set(topic, found)
    return found
  }
}
