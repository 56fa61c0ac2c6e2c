/**
 * Names of attributes. The messaging conventions of OpenTelemetry have renamed some; dashboards that were made for the older
 * names go on working with `conventions: 'legacy'` or `'both'`.
 */
export type Conventions = 'current' | 'legacy' | 'both'

export type Attributes = Readonly<Record<string, string | number | boolean>>

const OLDER: Readonly<Record<string, string>> = {
  'messaging.system.name': 'messaging.system',
  'messaging.operation.name': 'messaging.operation',
  'messaging.consumer.group.name': 'messaging.kafka.consumer.group',
  'kafka.offset': 'messaging.kafka.message.offset',
  'kafka.message.key': 'messaging.kafka.message.key',
  'kafka.message.tombstone': 'messaging.kafka.message.tombstone',
}

export function named<A extends Attributes>(attributes: A, conventions: Conventions): Attributes {
  if (conventions === 'current') return attributes
  const all: Record<string, string | number | boolean> = {}
  for (const [name, value] of Object.entries(attributes)) {
    const older = OLDER[name]
    if (older === undefined || conventions === 'both') all[name] = value
    if (older !== undefined) all[older] = value
  }
  return all
}
