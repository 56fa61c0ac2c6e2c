/** A script that is called wrongly says how it is called, and ends with 2. */
export function orUsage<Values>(help: string, parse: () => Values): Values {
  try {
    return parse()
  } catch (error) {
    console.error(`${(error as Error).message}\n\n${help}`)
    process.exit(2)
  }
}
