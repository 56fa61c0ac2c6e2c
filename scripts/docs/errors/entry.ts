/** How the catalogue of errors is written down. Data only: what it says is checked by test/unit/errors/catalogue.test.ts. */

/** What it means, what most likely caused it, what to do. Each a sentence or two, with a full stop. */
export type Entry = readonly [means: string, cause: string, fix: string]

export interface Group {
  readonly title: string
  /** Where these come from, and how they reach the user. */
  readonly about: string
  readonly entries: Readonly<Record<string, Entry>>
}
