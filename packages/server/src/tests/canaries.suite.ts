// Distinct secrets, and a search for them in everything that a server sends or writes.
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

export type Canaries<Name extends string> = { readonly [name in Name]: string }

/** Each is unique to this run, so that a hit is no chance. */
export const canariesOf = <Name extends string>(...names: readonly Name[]): Canaries<Name> =>
  Object.fromEntries(names.map((name) => [name, `canary-${name}-${randomBytes(16).toString('hex')}`])) as Canaries<Name>

/** Every place with a secret, plain or encoded. A test expects none. */
export const findCanaries = (
  canaries: Canaries<string>,
  places: { readonly [place: string]: string | Buffer },
): string[] =>
  Object.entries(places).flatMap(([place, content]) => {
    const bytes = typeof content === 'string' ? Buffer.from(content) : content
    return Object.entries(canaries).flatMap(([name, canary]) =>
      encodingsOf(canary).some((writing) => bytes.includes(writing)) ? [`${name} in ${place}`] : [],
    )
  })

const encodingsOf = (canary: string): string[] => {
  const bytes = Buffer.from(canary)
  return [canary, bytes.toString('base64').replace(/=+$/, ''), bytes.toString('base64url'), bytes.toString('hex')]
}

/** All files below a folder, by their path in it. */
export const filesIn = (folder: string): { readonly [path: string]: Buffer } =>
  Object.fromEntries(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => join(entry.parentPath, entry.name))
      .map((path) => [path.slice(folder.length + 1), readFileSync(path)]),
  )
