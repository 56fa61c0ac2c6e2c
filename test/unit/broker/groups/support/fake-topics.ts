/** Topics that a test creates and deletes. */
import { createHash } from 'node:crypto'
import type { TopicsView } from '../../../../../src/broker/groups/ports.ts'

export class FakeTopics implements TopicsView {
  readonly #counts: Map<string, number>
  readonly #listeners: (() => void)[] = []

  constructor(counts: Readonly<Record<string, number>> = {}) {
    this.#counts = new Map(Object.entries(counts))
  }

  set(topic: string, partitions: number): void {
    this.#counts.set(topic, partitions)
    for (const listener of this.#listeners) listener()
  }

  delete(topic: string): void {
    this.#counts.delete(topic)
    for (const listener of this.#listeners) listener()
  }

  partitionCount(topic: string): number | undefined {
    return this.#counts.get(topic)
  }

  topicId(topic: string): string | undefined {
    return this.#counts.has(topic) ? idOf(topic) : undefined
  }

  topicName(id: string): string | undefined {
    return [...this.#counts.keys()].find((topic) => idOf(topic) === id)
  }

  names(): Iterable<string> {
    return this.#counts.keys()
  }

  onChange(listener: () => void): void {
    this.#listeners.push(listener)
  }
}

function idOf(topic: string): string {
  return createHash('sha256').update(topic).digest().subarray(0, 16).toString('base64url')
}
