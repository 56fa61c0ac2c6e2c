/** Who we are in the group, as far as writing needs to know. */
import type { LeaseName } from '../../../kernel/events.ts'

export interface GroupIdentity {
  /** null: we are no member now. */
  memberName(): {
    readonly memberId: string
    readonly generationId: number
    readonly groupInstanceId: string | null
  } | null
  /** Whether this lease is still ours. */
  holds(lease: LeaseName): boolean
}
