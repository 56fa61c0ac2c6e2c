/**
 * Turns one schema into TypeScript: an interface, a reading and a writing function per struct. The output is plain code over
 * src/protocol/reader.ts and writer.ts, with one `if` per field that not every version has.
 */
import { type Field, intersect, type Message, type Struct, type Versions } from './schema.ts'

const scalarTypes: Readonly<Record<string, string>> = {
  bool: 'boolean',
  int8: 'number',
  int16: 'number',
  uint16: 'number',
  int32: 'number',
  uint32: 'number',
  int64: 'bigint',
  float64: 'number',
  uuid: 'Uuid',
  string: 'string',
  bytes: 'Buffer',
  records: 'Buffer',
}

const scalarBytes: Readonly<Record<string, number>> = {
  bool: 1,
  int8: 1,
  int16: 2,
  uint16: 2,
  int32: 4,
  uint32: 4,
  int64: 8,
  float64: 8,
  uuid: 16,
}

export class Emitter {
  readonly #message: Message
  readonly #rename: (struct: string) => string
  readonly used: Set<string> = new Set()

  constructor(message: Message, rename: (struct: string) => string) {
    this.#message = message
    this.#rename = rename
  }

  emit(): string {
    const all = [...this.#message.structs, this.#message.root]
    return all.map((s) => [this.#interface(s), this.#reader(s), this.#writer(s)].join('\n\n')).join('\n\n')
  }

  #name(struct: string): string {
    return struct === this.#message.name ? struct : this.#rename(struct)
  }

  /** A condition on `version`, knowing that it is inside `within`. */
  #condition(versions: Versions, within: Versions): string {
    const both = intersect(versions, within)
    if (both.min > both.max) return 'false'
    const parts: string[] = []
    if (both.min > within.min) parts.push(`version >= ${both.min}`)
    if (both.max < within.max) parts.push(`version <= ${both.max}`)
    return parts.length === 0 ? 'true' : parts.join(' && ')
  }

  #flexible(within: Versions): string {
    return this.#condition(this.#message.flexible, within)
  }

  #fieldType(field: Field): string {
    const element = field.isStruct ? this.#name(field.type) : (scalarTypes[field.type] ?? field.type)
    if (element === 'Uuid') this.used.add('Uuid')
    const type = field.isArray ? `readonly ${element}[]` : element
    return isNullable(field) ? `${type} | null` : type
  }

  #interface(struct: Struct): string {
    const fields = struct.fields.map((f) => `  readonly ${f.name}: ${this.#fieldType(f)}${note(f, struct.versions)}`)
    const tags = this.#flexible(struct.versions) === 'false' ? [] : ['  readonly unknownTags?: readonly UnknownTag[]']
    if (tags.length > 0) this.used.add('UnknownTag')
    return `export interface ${this.#name(struct.name)} {\n${[...fields, ...tags].join('\n')}\n}`
  }

  #default(field: Field): string {
    const given = field.default
    if (given === 'null' || given === null) return 'null'
    if (field.isArray) return '[]'
    if (field.isStruct) {
      const struct = this.#struct(field.type)
      const fields = struct.fields.map((f) => `${f.name}: ${this.#default(f)}`)
      return `{ ${fields.join(', ')} }`
    }
    switch (field.type) {
      case 'bool':
        return String(given === true || given === 'true')
      case 'int64':
        return `${BigInt(String(given ?? 0))}n`
      case 'string':
        return JSON.stringify(given ?? '').replaceAll('"', "'")
      case 'uuid':
        this.used.add('zeroUuid')
        return 'zeroUuid'
      case 'bytes':
      case 'records':
        this.used.add('noBytes')
        return 'noBytes'
      default:
        return String(Number(given ?? 0))
    }
  }

  #struct(name: string): Struct {
    const found = this.#message.structs.find((s) => s.name === name)
    if (found === undefined) throw new Error(`no struct ${name}`)
    return found
  }

  /** The least bytes that a struct can take in any version: what bounds an array's count. */
  #minimumBytes(struct: Struct, depth = 0): number {
    if (depth > 8) return 1
    let least = Number.POSITIVE_INFINITY
    for (let v = struct.versions.min; v <= struct.versions.max; v++) {
      let sum = within(this.#message.flexible, v) ? 1 : 0
      for (const field of struct.fields) {
        if (!within(field.versions, v) || within(field.tagged, v)) continue
        sum += this.#fieldBytes(field, v, depth)
      }
      least = Math.min(least, sum)
    }
    return Math.max(1, least)
  }

  #fieldBytes(field: Field, version: number, depth: number): number {
    const compact = within(this.#message.flexible, version) && !field.neverCompact
    if (field.isArray || field.type === 'bytes' || field.type === 'records') return compact ? 1 : 4
    if (field.type === 'string') return compact ? 1 : 2
    if (field.isStruct)
      return within(field.nullable, version) ? 1 : this.#minimumBytes(this.#struct(field.type), depth + 1)
    return scalarBytes[field.type] ?? 1
  }

  #elementBytes(field: Field): number {
    return field.isStruct ? this.#minimumBytes(this.#struct(field.type)) : (scalarBytes[field.type] ?? 1)
  }

  // ------------------------------------------------------------------------------------------------------------ reading

  #reader(struct: Struct): string {
    const name = this.#name(struct.name)
    const flexible = this.#flexible(struct.versions)
    const lines: string[] = []
    const usesFlexible = !['true', 'false'].includes(flexible)
    if (usesFlexible) lines.push(`const flexible = ${flexible}`)
    const compact = usesFlexible ? 'flexible' : flexible
    const tagged = struct.fields.filter((f) => f.tagged.min <= f.tagged.max)
    for (const field of struct.fields) {
      const plain = plainVersions(field)
      const condition = this.#condition(plain, struct.versions)
      const keyword = tagged.includes(field) ? 'let' : 'const'
      const type = keyword === 'let' ? `: ${this.#fieldType(field)}` : ''
      if (condition === 'false') lines.push(`${keyword} ${local(field)}${type} = ${this.#default(field)}`)
      else {
        const read = this.#read(field, field.neverCompact ? 'false' : compact, plain)
        lines.push(
          `${keyword} ${local(field)}${type} = ${condition === 'true' ? read : `${condition} ? ${read} : ${this.#default(field)}`}`,
        )
      }
    }
    const names = struct.fields.map((f) => (local(f) === f.name ? f.name : `${f.name}: ${local(f)}`)).join(', ')
    if (flexible === 'false') lines.push(`return { ${names} }`)
    else {
      this.used.add('UnknownTag')
      lines.push('let unknownTags: UnknownTag[] | undefined')
      const loop = this.#readTags(struct, tagged)
      lines.push(...(usesFlexible ? ['if (flexible) {', ...loop.map((l) => `  ${l}`), '}'] : loop))
      lines.push(
        `return unknownTags === undefined ? { ${names} } : { ${[names, 'unknownTags'].filter((s) => s !== '').join(', ')} }`,
      )
    }
    const version = lines.some((l) => /\bversion\b(?!:)/.test(l)) ? 'version' : '_version'
    this.used.add('Reader')
    return `export function read${name}(r: Reader, ${version}: number): ${name} {\n${lines.map((l) => `  ${l}`).join('\n')}\n}`
  }

  #read(field: Field, compact: string, versions: Versions): string {
    const nullable = this.#condition(field.nullable, versions)
    if (nullable !== 'true' && nullable !== 'false') {
      return `(${nullable} ? ${this.#readAs(field, compact, true)} : ${this.#readAs(field, compact, false)})`
    }
    return this.#readAs(field, compact, nullable === 'true')
  }

  #readAs(field: Field, compact: string, nullable: boolean): string {
    if (field.isArray) {
      const prefix = nullable ? 'readNullable' : 'read'
      if (field.isStruct) {
        this.used.add(`${prefix}Structs`)
        return `${prefix}Structs(r, version, ${compact}, ${this.#elementBytes(field)}, read${this.#name(field.type)})`
      }
      this.used.add(`${prefix}Scalars`)
      this.used.add('scalar')
      return `${prefix}Scalars(r, ${compact}, ${this.#elementBytes(field)}, scalar.${field.type})`
    }
    if (field.isStruct) {
      const read = `read${this.#name(field.type)}`
      if (!nullable) return `${read}(r, version)`
      this.used.add('readNullableStruct')
      return `readNullableStruct(r, version, ${read})`
    }
    if (field.type === 'string') return `r.${nullable ? 'nullableString' : 'string'}(${compact})`
    if (field.type === 'bytes' || field.type === 'records')
      return `r.${nullable ? 'nullableBytes' : 'bytes'}(${compact})`
    return `r.${field.type}()`
  }

  #readTags(struct: Struct, tagged: readonly Field[]): string[] {
    const unknown = 'unknownTags = r.unknownTag(tag, end, unknownTags)'
    const lines = [
      'for (let left = r.uvarint(); left > 0; left--) {',
      '  const tag = r.uvarint()',
      '  const end = r.tagEnd()',
    ]
    if (tagged.length === 0) lines.push(`  ${unknown}`)
    else {
      lines.push('  switch (tag) {')
      for (const field of tagged) {
        const condition = this.#condition(field.tagged, intersect(this.#message.flexible, struct.versions))
        const read = `${local(field)} = ${this.#read(field, 'true', field.tagged)}`
        const other = condition === 'true' ? '' : `\n${' '.repeat(8)}else ${unknown}`
        lines.push(
          `    case ${field.tag}:`,
          `      ${condition === 'true' ? '' : `if (${condition}) `}${read}${other}`,
          '      break',
        )
      }
      lines.push('    default:', `      ${unknown}`, '  }')
    }
    lines.push('  r.closeTag(end)', '}')
    return lines
  }

  // ------------------------------------------------------------------------------------------------------------ writing

  #writer(struct: Struct): string {
    const name = this.#name(struct.name)
    const flexible = this.#flexible(struct.versions)
    const usesFlexible = !['true', 'false'].includes(flexible)
    const compact = usesFlexible ? 'flexible' : flexible
    const lines: string[] = usesFlexible ? [`const flexible = ${flexible}`] : []
    for (const field of struct.fields) {
      if (field.tagged.min <= field.tagged.max && plainVersions(field).min > plainVersions(field).max) continue
      const condition = this.#condition(plainVersions(field), struct.versions)
      const write = this.#write(
        field,
        field.neverCompact ? 'false' : compact,
        plainVersions(field),
        `value.${field.name}`,
      )
      if (condition === 'true') lines.push(...write)
      else {
        lines.push(`if (${condition}) {`, ...write.map((l) => `  ${l}`))
        const refusal = this.#refusal(struct, field)
        if (refusal !== undefined)
          lines.push(`} ${refusal} {`, `  throw unsupportedField('${struct.name}.${field.name}', version)`)
        lines.push('}')
      }
    }
    if (flexible !== 'false') {
      const tags = this.#writeTags(struct)
      lines.push(...(usesFlexible ? ['if (flexible) {', ...tags.map((l) => `  ${l}`), '}'] : tags))
    }
    const body = lines.join('\n')
    const version = /(?<!\.)\bversion\b/.test(body) ? 'version' : '_version'
    const value = /\bvalue\b/.test(body) ? 'value' : '_value'
    this.used.add('Writer')
    this.used.add('Input')
    return `export function write${name}(w: Writer, ${value}: Input<${name}>, ${version}: number): void {\n${lines.map((l) => `  ${l}`).join('\n')}\n}`
  }

  /**
   * A value that this version cannot carry is an error, unless the schema says that it may be dropped. In a response it is
   * always dropped: the server tells what it knows, the version decides how much of it the client can hear.
   */
  #refusal(struct: Struct, field: Field): string | undefined {
    if (this.#message.kind === 'response') return undefined
    if (field.ignorable || (field.isStruct && !field.isArray)) return undefined
    this.used.add('unsupportedField')
    const value = `value.${field.name}`
    const allowed: string[] = []
    if (isNullable(field)) allowed.push(`${value} !== null`)
    if (field.isArray) allowed.push(`${value}.length > 0`)
    else if (field.type === 'bytes' || field.type === 'records') allowed.push(`${value}.length > 0`)
    else if (this.#default(field) !== 'null') allowed.push(`${value} !== ${this.#default(field)}`)
    const tagged = this.#condition(field.tagged, struct.versions)
    if (tagged !== 'false') allowed.unshift(`!(${tagged})`)
    return `else if (${[`${value} !== undefined`, ...allowed].join(' && ')})`
  }

  #write(field: Field, compact: string, versions: Versions, value: string): string[] {
    const short = this.#writeInline(field, compact, value)
    if (short !== undefined) return [short]
    const local = 'v'
    const start = `const ${local} = ${value} === undefined ? ${this.#inputDefault(field)} : ${value}`
    const lines = [start, ...this.#writeAs(field, compact, versions, local)]
    return ['{', ...lines.map((l) => `  ${l}`), '}']
  }

  /** One line for a scalar whose default can be put in by `??`. */
  #writeInline(field: Field, compact: string, value: string): string | undefined {
    if (field.isArray || field.isStruct) return undefined
    const fallback = this.#default(field)
    if (isNullable(field) && (fallback !== 'null' || field.nullable.min > field.versions.min)) return undefined
    const method = field.type === 'records' ? 'bytes' : field.type
    const compactArgument = method === 'string' || method === 'bytes' ? `, ${compact}` : ''
    return `w.${method}(${value} ?? ${fallback}${compactArgument})`
  }

  #inputDefault(field: Field): string {
    // A struct that was left out is written from its own defaults.
    if (field.isStruct && !field.isArray && this.#default(field) !== 'null') return '{}'
    return this.#default(field)
  }

  #writeAs(field: Field, compact: string, versions: Versions, v: string): string[] {
    const lines: string[] = []
    const name = `${this.#message.name}.${field.name}`
    const nullableHere = this.#condition(field.nullable, versions)
    if (isNullable(field) && nullableHere !== 'true') {
      this.used.add('unsupportedField')
      const guard = nullableHere === 'false' ? '' : `!(${nullableHere}) && `
      lines.push(`if (${guard}${v} === null) throw unsupportedField('${name} = null', version)`)
    }
    const canBeNull = isNullable(field)
    if (field.isArray) {
      const each = field.isStruct
        ? `write${this.#name(field.type)}(w, e, version)`
        : ['string', 'bytes'].includes(field.type)
          ? `w.${field.type}(e, ${compact})`
          : `w.${field.type}(e)`
      const body = [`w.count(${v}.length, ${compact})`, `for (const e of ${v}) ${each}`]
      lines.push(
        ...(canBeNull
          ? [`if (${v} === null) w.count(-1, ${compact})`, 'else {', ...body.map((l) => `  ${l}`), '}']
          : body),
      )
    } else if (field.isStruct) {
      const write = `write${this.#name(field.type)}(w, ${v}, version)`
      lines.push(
        ...(canBeNull ? [`if (${v} === null) w.int8(-1)`, 'else {', '  w.int8(1)', `  ${write}`, '}'] : [write]),
      )
    } else if (field.type === 'string') lines.push(`w.string(${v}, ${compact})`)
    else if (field.type === 'bytes' || field.type === 'records') lines.push(`w.bytes(${v}, ${compact})`)
    else lines.push(`w.${field.type}(${v})`)
    return lines
  }

  #writeTags(struct: Struct): string[] {
    const tagged = struct.fields.filter((f) => f.tagged.min <= f.tagged.max).sort((a, b) => a.tag - b.tag)
    const lines = ['let count = value.unknownTags?.length ?? 0']
    const flexibleHere = intersect(this.#message.flexible, struct.versions)
    const conditions = new Map<Field, string>()
    for (const field of tagged) {
      const condition = this.#condition(field.tagged, flexibleHere)
      const present = [condition === 'true' ? '' : condition, this.#isSet(field)].filter((c) => c !== '').join(' && ')
      conditions.set(field, `has${field.tag}`)
      lines.push(`const has${field.tag} = ${present}`, `if (has${field.tag}) count++`)
    }
    lines.push('w.uvarint(count)')
    if (tagged.length === 0)
      return [
        'w.uvarint(value.unknownTags?.length ?? 0)',
        'w.unknownTags(value.unknownTags, 0, Number.POSITIVE_INFINITY)',
      ]
    lines.push('let next = 0')
    for (const field of tagged) {
      lines.push(`next = w.unknownTags(value.unknownTags, next, ${field.tag})`)
      lines.push(`if (${conditions.get(field) ?? ''} && value.${field.name} !== undefined) {`)
      lines.push('  const outer = w', '  {', '    const w = new Writer()', `    const v = value.${field.name}`)
      lines.push(...this.#writeAs(field, 'true', field.tagged, 'v').map((l) => `    ${l}`))
      lines.push(`    outer.tagged(${field.tag}, w)`, '  }', '}')
    }
    lines.push('w.unknownTags(value.unknownTags, next, Number.POSITIVE_INFINITY)')
    this.used.add('WriterValue')
    return lines
  }

  /** A tagged field is written only when it differs from its default. */
  #isSet(field: Field): string {
    return this.#differs(field, `value.${field.name}`)
  }

  #differs(field: Field, value: string): string {
    const fallback = this.#default(field)
    if (fallback === 'null') return `${value} !== undefined && ${value} !== null`
    const notNull = isNullable(field) ? `${value} === null || ` : ''
    if (field.isArray || field.type === 'bytes' || field.type === 'records') {
      return `${value} !== undefined && (${notNull}${value}.length > 0)`
    }
    if (field.isStruct) {
      const parts = this.#struct(field.type).fields.map((f) => `(${this.#differs(f, `${value}.${f.name}`)})`)
      return `${value} !== undefined && (${parts.join(' || ')})`
    }
    return `${value} !== undefined && ${value} !== ${fallback}`
  }
}

/** The name of a field's variable in a reading function, out of the way of the function's own names. */
function local(field: Field): string {
  return ['version', 'flexible', 'tag', 'end', 'left', 'r'].includes(field.name) ? `${field.name}Field` : field.name
}

function isNullable(field: Field): boolean {
  return field.nullable.min <= field.nullable.max || field.default === 'null' || field.default === null
}

/** Versions in which a field stands in its place, not in the tagged section. */
function plainVersions(field: Field): Versions {
  if (field.tagged.min > field.tagged.max) return field.versions
  return field.tagged.min > field.versions.min
    ? { min: field.versions.min, max: field.tagged.min - 1 }
    : { min: 1, max: 0 }
}

function within(versions: Versions, version: number): boolean {
  return version >= versions.min && version <= versions.max
}

function note(field: Field, struct: Versions): string {
  const parts: string[] = []
  if (field.versions.min > field.versions.max) parts.push('in no version')
  else if (field.versions.min > struct.min || field.versions.max < struct.max) {
    parts.push(
      field.versions.max < struct.max ? `v${field.versions.min}–${field.versions.max}` : `v${field.versions.min}+`,
    )
  }
  if (field.tagged.min <= field.tagged.max) parts.push(`tag ${field.tag}`)
  return parts.length === 0 ? '' : ` // ${parts.join(', ')}`
}
