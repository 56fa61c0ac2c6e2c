/** What we call ourselves to brokers; their metrics and logs show it. A test compares it with package.json. */
export const software: { readonly name: string; readonly version: string } = { name: 'fanlane', version: '0.1.0' }
