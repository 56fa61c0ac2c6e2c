/**
 * What users install with fanlane: the bill of materials, and what the registry knows against it.
 *
 *   npm run audit [-- --sbom FILE] [-- --json]
 *
 * Ends with 1 if something is known against a package. A registry that does not answer such questions is no failure, but it is said
 * loudly: nothing was shown then.
 */
import { writeFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { auditOf, billOf } from './dependencies.ts'
import { root } from './files.ts'
import { orUsage } from './usage.ts'

const help = `npm run audit -- [options]

  --sbom FILE   write the bill of materials (CycloneDX, JSON) there
  --json        one line for programs`

const { values } = orUsage(help, () =>
  parseArgs({ options: { sbom: { type: 'string' }, json: { type: 'boolean' }, help: { type: 'boolean' } } }),
)

if (values.help === true) {
  console.log(help)
} else {
  const { parts, json } = await billOf(root)
  if (values.sbom !== undefined) writeFileSync(values.sbom, json)
  const audit = await auditOf(root)
  const vulnerabilities = audit.kind === 'asked' ? audit.vulnerabilities : 0
  if (values.json === true) {
    console.log(JSON.stringify({ ok: vulnerabilities === 0, parts, audit }))
  } else {
    for (const { name, version, license } of parts) console.log(`${name} ${version} (${license})`)
    if (values.sbom !== undefined) console.log(`bill of materials: ${values.sbom}`)
    if (audit.kind === 'asked') console.log(`audit: ${audit.told}`)
  }
  if (audit.kind === 'not-asked')
    console.error(`\n!!! NOT AUDITED: the registry does not say what is known: ${audit.why}\n`)
  process.exitCode = vulnerabilities === 0 ? 0 : 1
}
