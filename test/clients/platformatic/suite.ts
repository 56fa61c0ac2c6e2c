/** @platformatic/kafka: a young client in plain JavaScript that sends nearly the newest versions. */
import { describe } from 'node:test'
import type { Target } from '../../support/targets.ts'
import { platformaticAdmin } from './admin.ts'
import { platformaticGroups } from './groups.ts'
import { platformaticProducing } from './producing.ts'
import { platformaticSasl } from './sasl.ts'
import { platformaticTransactions } from './transactions.ts'

export function platformatic(target: Target): void {
  describe('@platformatic/kafka', () => {
    platformaticAdmin(target)
    platformaticProducing(target)
    platformaticGroups(target)
    platformaticTransactions(target)
    platformaticSasl(target)
  })
}
