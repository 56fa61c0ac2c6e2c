/** The assignors that come with fanlane, by name, and the choice of a user among them and his own. */
import { OptionError } from '../../../../errors.ts'
import type { Assignor } from './assignor.ts'
import { cooperativeSticky } from './cooperative-sticky.ts'
import { kafkaJsRoundRobin } from './kafkajs-round-robin.ts'
import { range } from './range.ts'
import { roundRobin } from './round-robin.ts'
import { sticky } from './sticky.ts'

export type { Assignor, MemberSubscription } from './assignor.ts'

export type AssignorName = 'cooperative-sticky' | 'sticky' | 'range' | 'roundrobin' | 'RoundRobinAssigner'

const byName: Readonly<Record<AssignorName, Assignor>> = {
  'cooperative-sticky': cooperativeSticky,
  sticky,
  range,
  roundrobin: roundRobin,
  RoundRobinAssigner: kafkaJsRoundRobin,
}

/** In order of preference: the coordinator takes the one that most members prefer, of those that all have. */
export function resolveAssignors(chosen: readonly (AssignorName | Assignor)[]): readonly Assignor[] {
  const assignors = chosen.map((one) => (typeof one === 'string' ? named(one) : one))
  const names = assignors.map(({ name }) => name)
  const twice = names.find((name, index) => names.indexOf(name) !== index)
  if (twice !== undefined) {
    throw new OptionError(
      'OPTION_INVALID',
      'client.assignors',
      `client.assignors has '${twice}' twice: name each once.`,
    )
  }
  if (assignors.length === 0) {
    throw new OptionError(
      'OPTION_INVALID',
      'client.assignors',
      'client.assignors is empty: leave it out for the default.',
    )
  }
  return assignors
}

function named(name: string): Assignor {
  if (Object.hasOwn(byName, name)) return byName[name as AssignorName]
  const known = Object.keys(byName).join(', ')
  throw new OptionError(
    'OPTION_INVALID',
    'client.assignors',
    `client.assignors has '${name}', which is none of ${known}. For one of your own, give the assignor, not its name.`,
  )
}
