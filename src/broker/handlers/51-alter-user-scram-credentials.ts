/**
 * AlterUserScramCredentials: users with SCRAM credentials come and go while the broker runs. What arrives is the salted
 * password; only keys derived from it are kept. They count where the broker asks for authentication by SCRAM.
 */
import { errorCodes } from '../../protocol/errors.ts'
import {
  type AlterUserScramCredentialsRequest,
  alterUserScramCredentialsApi,
  type ScramCredentialDeletion,
  type ScramCredentialUpsertion,
} from '../../protocol/generated/51-alter-user-scram-credentials.ts'
import type { Broker } from '../broker.ts'
import { granted, type Outcome, outcomeOf, Refused } from '../refused.ts'
import { type Route, route } from '../server/route.ts'
import { mechanismByNumber, type ScramMechanism, ScramStore } from '../server/scram-store.ts'

const iterations = { least: 4_096, most: 16_384 } as const

export function alterUserScramCredentials(broker: Broker): Route {
  const store = new ScramStore(broker.metadata)
  broker.users?.lookFirst((user, hash) => store.credential(user, hash))
  return route(alterUserScramCredentialsApi, {
    handle: async (request) => {
      const results = [...Map.groupBy(wishes(request), ({ name }) => name)].map(async ([user, [wish, ...others]]) => {
        if (wish === undefined || others.length > 0) {
          const errorMessage = 'A user credential cannot be altered twice in the same request'
          return { user, errorCode: errorCodes.DUPLICATE_RESOURCE, errorMessage }
        }
        return { user, ...(await perform(store, wish)) }
      })
      return { results: await Promise.all(results) }
    },
    refuse: (request, errorCode) => ({
      results: [...new Set(wishes(request).map(({ name }) => name))].map((user) => ({
        user,
        errorCode,
        errorMessage: null,
      })),
    }),
  })
}

type Wish = ScramCredentialDeletion | ScramCredentialUpsertion

function wishes({ deletions, upsertions }: AlterUserScramCredentialsRequest): Wish[] {
  return [...deletions, ...upsertions]
}

async function perform(store: ScramStore, wish: Wish): Promise<Outcome> {
  try {
    const mechanism = checkedMechanism(wish)
    if ('saltedPassword' in wish) await upsert(store, mechanism, wish)
    else await remove(store, mechanism, wish.name)
    return granted
  } catch (error) {
    return outcomeOf(error)
  }
}

function checkedMechanism({ name, mechanism }: Wish): ScramMechanism {
  if (name === '') throw new Refused('UNACCEPTABLE_CREDENTIAL', 'Username must not be empty')
  const known = mechanismByNumber(mechanism)
  if (known === undefined) throw new Refused('UNSUPPORTED_SASL_MECHANISM', 'Unknown SCRAM mechanism')
  return known
}

async function upsert(store: ScramStore, mechanism: ScramMechanism, wish: ScramCredentialUpsertion): Promise<void> {
  if (wish.iterations < iterations.least) throw new Refused('UNACCEPTABLE_CREDENTIAL', 'Too few iterations')
  if (wish.iterations > iterations.most) throw new Refused('UNACCEPTABLE_CREDENTIAL', 'Too many iterations')
  if (wish.saltedPassword.length === 0) throw new Refused('UNACCEPTABLE_CREDENTIAL', 'The salted password is empty')
  await store.put(wish.name, mechanism, wish)
}

async function remove(store: ScramStore, mechanism: ScramMechanism, user: string): Promise<void> {
  if (!store.of(user).some((credential) => credential.mechanism === mechanism)) {
    throw new Refused('RESOURCE_NOT_FOUND', 'Attempt to delete a user credential that does not exist')
  }
  await store.remove(user, mechanism)
}
