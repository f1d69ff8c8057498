// The entry `bridle/words`: a session in words, for every client that shows one to people.
export * from './amounts.ts'
export * from './budgets.ts'
export * from './statuses.ts'
