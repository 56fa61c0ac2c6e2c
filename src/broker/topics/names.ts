/**
 * Which topic names are legal (Kafka's rule), which are the broker's own, and what a topic's folder is called.
 */
const legal = /^[a-zA-Z0-9._-]+$/
const nameLengthMax = 249
/** What every file system takes. */
const folderLengthMax = 255
const cutNameLength = 200

export const offsetsTopic = '__consumer_offsets'
export const transactionsTopic = '__transaction_state'

export const internalTopics: ReadonlySet<string> = new Set([offsetsTopic, transactionsTopic])

/** Why `name` cannot be a topic, or undefined if it can. */
export function topicNameProblem(name: string): string | undefined {
  if (name === '') return 'the topic name is empty'
  if (name === '.' || name === '..') return "a topic cannot be called '.' or '..'"
  if (name.length > nameLengthMax) return `the topic name is longer than ${nameLengthMax} characters`
  if (!legal.test(name))
    return `the topic name '${name}' has other characters than ASCII letters, digits, '.', '_' and '-'`
  return undefined
}

/** Kafka refuses a second name that differs only in '.' and '_': their metric names would be the same. */
export function shapeOf(name: string): string {
  return name.replaceAll('.', '_')
}

/**
 * The folder of a topic. Capital letters are escaped, so that `Orders` and `orders` stay apart where the file system does not
 * tell them apart; the id keeps a topic that was deleted and created again from finding its predecessor's files. A name that
 * is too long for a folder is cut (two equals signs tell it), and the whole id keeps it apart from others.
 */
export function topicFolder(name: string, idHex: string): string {
  const escaped = name.replace(/[A-Z]/g, (c) => `=${c.toLowerCase()}`)
  const folder = `${escaped}=${idHex.slice(0, 16)}`
  return folder.length <= folderLengthMax ? folder : `${escaped.slice(0, cutNameLength)}==${idHex}`
}
