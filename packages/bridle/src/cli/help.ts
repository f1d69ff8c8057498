// What the command says of itself, made from the verbs' own tables.
import type { CliCommand } from './command.ts'

export const helpOverview = (verbs: { readonly [name: string]: CliCommand }): string => {
  const rows = Object.entries(verbs).map(
    ([name, { argumentNames, summary }]) => [[name, ...argumentNames].join(' '), summary] as const,
  )
  return `bridle: one durable session between any agent and any frontend

${columns(rows.map(([left, right]) => [`bridle ${left}`, right]))}

  bridle <verb> --help says more; bridle --version which one this is. fh is the same program.

The server is at --url, else BRIDLE_URL, else http://127.0.0.1:4317.
Its token is in FABRIC_HARNESS_API_TOKEN, else FH_AUTH_TOKEN, else where bridle start --token keeps it.
On a terminal it speaks to people; when piped, or with --json, in JSON lines.`
}

export const commandHelp = (name: string, { argumentNames, summary, options, notes }: CliCommand): string => {
  const rows = Object.entries(options).map(([flag, { short, value, help, multiple }]): [string, string] => [
    `${short === undefined ? '' : `-${short}, `}--${flag}${value === undefined ? '' : ` ${value}`}${multiple ? ' …' : ''}`,
    help,
  ])
  const head = `bridle ${[name, ...argumentNames, ...(rows.length > 0 ? ['[options]'] : [])].join(' ')}: ${summary}`
  return [head, ...(rows.length > 0 ? [columns(rows)] : []), ...(notes === undefined ? [] : [notes])].join('\n\n')
}

const columns = (rows: readonly (readonly [string, string])[]): string => {
  const width = Math.max(...rows.map(([left]) => left.length))
  return rows.map(([left, right]) => `  ${left.padEnd(width)}   ${right}`).join('\n')
}

/** The word that was probably meant; null when none is near. */
export const closestWord = (given: string, known: readonly string[]): string | null => {
  const near = known
    .map((word) => ({ word, away: distance(given, word) }))
    .filter(({ word, away }) => away <= 2 && away < word.length / 2)
    .sort((a, b) => a.away - b.away)
  return near[0]?.word ?? null
}

/** How many letters to add, drop or change, or to swap with the next one. */
const distance = (from: string, to: string): number => {
  let above: number[] = []
  let row = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (const [at, letter] of [...from.slice(0, 40)].entries()) {
    const next = [at + 1]
    for (let column = 1; column <= to.length; column++) {
      const change = (row[column - 1] ?? 0) + (letter === to[column - 1] ? 0 : 1)
      const isSwap = at > 0 && letter === to[column - 2] && from[at - 1] === to[column - 1]
      const swap = isSwap ? (above[column - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY
      next.push(Math.min(change, swap, (row[column] ?? 0) + 1, (next[column - 1] ?? 0) + 1))
    }
    above = row
    row = next
  }
  return row[to.length] ?? 0
}
