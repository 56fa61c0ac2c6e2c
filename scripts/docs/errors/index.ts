/** The catalogue of errors, group by group, and the page that is made from it. */
import { brokers } from './brokers.ts'
import { commandLine } from './command-line.ts'
import { dashboard } from './dashboard.ts'
import { delivery } from './delivery.ts'
import { embeddedBroker } from './embedded-broker.ts'
import { engines } from './engines.ts'
import type { Group } from './entry.ts'
import { groups } from './groups.ts'
import { handlers } from './handlers.ts'
import { integrations } from './integrations.ts'
import { kafka } from './kafka.ts'
import { letters } from './letters.ts'
import { options } from './options.ts'
import { stores } from './stores.ts'
import { testing } from './testing.ts'
import { wire } from './wire.ts'

/** Without those of Kafka, whose names are its own. */
export const OWN_ERRORS: readonly Group[] = [
  options,
  handlers,
  delivery,
  brokers,
  groups,
  letters,
  dashboard,
  commandLine,
  embeddedBroker,
  stores,
  engines,
  integrations,
  wire,
  testing,
]

export const KAFKA_ERRORS: Group = kafka

const safe = (text: string): string => text.replaceAll('|', '\\|')

export function errorsPage(): string {
  const parts = [...OWN_ERRORS, KAFKA_ERRORS].flatMap(({ title, about, entries }) => [
    `## ${title}`,
    about,
    [
      '| code | meaning | likely cause | what to do |',
      '|---|---|---|---|',
      ...Object.entries(entries).map(
        ([code, [means, cause, fix]]) => `| \`${code}\` | ${safe(means)} | ${safe(cause)} | ${safe(fix)} |`,
      ),
    ].join('\n'),
  ])
  return parts.join('\n\n')
}
