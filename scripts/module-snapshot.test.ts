import { execFileSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { fromSource, SNAPSHOT_FOLDER } from './module-snapshot.ts'

const folder = mkdtempSync(join(tmpdir(), 'bridle-module-snapshot-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const place = (name: string) => join(folder, name)
const write = (name: string, text: string) => writeFileSync(place(name), text)

test('a program starts from the snapshot, and loads what the snapshot does not have', () => {
  const snapshot = place('snapshot')
  const env = { ...process.env, [SNAPSHOT_FOLDER]: snapshot }
  const run = (name: string) =>
    execFileSync(process.execPath, [...fromSource, place(name)], { env, encoding: 'utf8', stdio: 'pipe' }).trim()
  mkdirSync(place('node_modules/dependency'), { recursive: true })
  write('node_modules/dependency/package.json', '{ "type": "commonjs", "main": "index.js" }')
  write('node_modules/dependency/index.js', `module.exports = { sum: (a, b) => a + b }`)
  write('package.json', '{ "type": "module" }')
  write('data.json', '{ "value": 1 }')
  write('typed.ts', `export const two: number = 2\nexport const here: string = import.meta.url`)
  const program = `
    import { basename } from 'node:path'
    import dependency from 'dependency'
    import data from './data.json' with { type: 'json' }
    import { here, two } from './typed.ts'
    console.log(dependency.sum(data.value, two), basename(here))`
  write('main.ts', program)
  expect(run('main.ts')).toBe('3 typed.ts')

  const module = pathToFileURL(join(import.meta.dirname, 'module-snapshot.ts')).href
  write(
    'record.ts',
    `import { recordSnapshot } from '${module}'
    const write = recordSnapshot(new URL('./', import.meta.url))
    await import('./main.ts')
    write('${snapshot}')`,
  )
  expect(run('record.ts')).toBe('3 typed.ts')
  write('typed.ts', 'export const changed = true')
  expect(run('main.ts')).toBe('3 typed.ts')
  write('other.ts', `import { changed } from './typed.ts?other'\nconsole.log(changed)`)
  expect(run('other.ts')).toBe('true')
})
