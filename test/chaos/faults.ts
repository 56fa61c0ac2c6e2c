/** Does to a run what its plan says. Each resolves when the fault is over, with the moment that recovery counts from. */
import { setTimeout as sleep } from 'node:timers/promises'
import type { ChaosBroker } from './brokers.ts'
import { nowNs } from './ledger.ts'
import type { Member } from './member.ts'
import type { Fault, Victim } from './plan.ts'
import type { ChaosProxy } from './proxy.ts'

export interface Scene {
  readonly broker: ChaosBroker
  readonly proxy: ChaosProxy
  readonly members: readonly Member[]
  /** Comes and goes. */
  readonly guest: Member
  readonly letterTopic: string
}

const guestStaysMs = 2_000

export async function strike(fault: Fault, scene: Scene): Promise<number> {
  const { broker, proxy, guest, letterTopic } = scene
  switch (fault.kind) {
    case 'kill': {
      const member = memberOf(scene, fault.victim)
      await member.kill()
      const atNs = nowNs()
      await sleep(fault.restartAfterMs)
      await member.start()
      return atNs
    }
    case 'freeze': {
      // Others have taken over long before it wakes up and finds out.
      const member = memberOf(scene, fault.victim)
      const atNs = nowNs()
      member.freeze()
      await sleep(fault.forMs)
      member.thaw()
      return atNs
    }
    case 'broker-clean':
    case 'broker-kill':
      await broker.restart(fault.kind === 'broker-clean' ? 'clean' : 'kill')
      return nowNs()
    case 'cut':
      proxy.cut(whoseOf(scene, fault.victim))
      return nowNs()
    case 'delay':
    case 'drop-answers': {
      const whose = whoseOf(scene, fault.victim)
      proxy.begin(fault.kind === 'delay' ? { whose, delayMs: fault.byMs } : { whose, dropAnswers: true })
      await sleep(fault.forMs)
      proxy.end()
      return nowNs()
    }
    case 'churn':
      for (let time = 0; time < fault.times; time++) {
        await guest.start()
        await sleep(guestStaysMs)
        await guest.close()
        await sleep(guestStaysMs)
      }
      return nowNs()
    case 'letters-down':
      await broker.setTopicDown(letterTopic, true)
      await sleep(fault.forMs)
      await broker.setTopicDown(letterTopic, false)
      return nowNs()
  }
}

function memberOf({ members }: Scene, index: number): Member {
  const member = members[index]
  if (member === undefined) throw new Error(`there is no member ${index}`)
  return member
}

const whoseOf = (scene: Scene, victim: Victim): string | null =>
  victim === 'all' ? null : memberOf(scene, victim).name
