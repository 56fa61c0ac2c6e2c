/** Which way a group with members may change its protocol (group.consumer.migration.policy). */
export type MigrationPolicy = 'bidirectional' | 'upgrade' | 'downgrade' | 'disabled'

interface Ways {
  /** From the classic protocol to the consumer protocol. */
  readonly upgrade: boolean
  readonly downgrade: boolean
}

export const waysOf: Readonly<Record<MigrationPolicy, Ways>> = {
  bidirectional: { upgrade: true, downgrade: true },
  upgrade: { upgrade: true, downgrade: false },
  downgrade: { upgrade: false, downgrade: true },
  disabled: { upgrade: false, downgrade: false },
}

/** The setting as text, in upper or lower case. What is none of them allows nothing. */
export function migrationPolicyOf(text: string | null): MigrationPolicy {
  const name = text?.toLowerCase() ?? ''
  return isPolicy(name) ? name : 'disabled'
}

function isPolicy(name: string): name is MigrationPolicy {
  return Object.hasOwn(waysOf, name)
}
