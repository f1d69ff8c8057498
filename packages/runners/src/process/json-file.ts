import { readFileSync, renameSync, writeFileSync } from 'node:fs'
import { tryOr } from '@bridle/kernel/try-or'

/** Null: no such file, or no JSON in it. */
export const readJson = (file: string): unknown => tryOr(null, () => JSON.parse(readFileSync(file, 'utf8')))

/** Writes the whole file or nothing. Only its owner can read it. */
export const writeJson = (file: string, value: unknown): void => {
  writeFileSync(`${file}.new`, JSON.stringify(value), { mode: 0o600 })
  renameSync(`${file}.new`, file)
}
