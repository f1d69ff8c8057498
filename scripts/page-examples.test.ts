// The TypeScript of the pages that people copy from compiles as it stands there, against the source of the package.
import { execFileSync } from 'node:child_process'
import { globSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { afterAll, expect, test } from 'vitest'

const root = join(import.meta.dirname, '..')
const pages = [
  ...globSync('docs/agents/*.md', { cwd: root }).toSorted(),
  ...['agents', 'index', 'openharness', 'client', 'embedding', 'react'].map((name) => `docs/${name}.md`),
]
// Inside of the checkout, so that packages are found.
mkdirSync(join(root, 'packages/bridle/.types'), { recursive: true })
const folder = mkdtempSync(join(root, 'packages/bridle/.types/examples-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A block whose first line is a comment with a path is that file of a project; other blocks of the page may import it. */
const writeExamples = (page: string): number => {
  const blocks = [...readFileSync(join(root, page), 'utf8').matchAll(/^```(tsx?)\n([\s\S]*?)^```$/gm)]
  for (const [index, [, ending, text = '']] of blocks.entries()) {
    const place = text.includes("from '../") ? 'agents/' : ''
    const named = /^\/\/ (\S+\.tsx?)\n/.exec(text)?.[1]
    const file = join(folder, page.replaceAll('/', '-'), named ?? `${place}block-${index}.${ending}`)
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, text)
  }
  return blocks.length
}

/** Express is no dependency of the checkout: the part of its types that the page needs. */
const EXPRESS = `declare module 'express' {
  import type { IncomingMessage, Server, ServerResponse } from 'node:http'
  type Handler = (request: IncomingMessage, response: ServerResponse & { send(text: string): void }, next: () => void) => void
  const express: () => { get(path: string, handler: Handler): void; use(path: string, handler: Handler): void; listen(port: number, host: string, ready: () => void): Server }
  export default express
}
`

test('every example compiles', { timeout: 120_000 }, () => {
  expect(pages.map(writeExamples).reduce((sum, count) => sum + count, 0)).toBeGreaterThan(30)
  writeFileSync(join(folder, 'express.d.ts'), EXPRESS)
  const compilerOptions = {
    ...{ noEmit: true, lib: ['ES2024', 'DOM', 'DOM.Iterable'], types: ['node'], jsx: 'react-jsx' },
    ...{ module: 'esnext', moduleResolution: 'bundler' },
  }
  const config = { extends: join(root, 'tsconfig.base.json'), compilerOptions, include: ['.'] }
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(config))
  const compile = () => {
    try {
      const tsc = join(root, 'node_modules/typescript/bin/tsc')
      return execFileSync(process.execPath, [tsc, '-p', folder, '--pretty', 'false'], { cwd: folder, encoding: 'utf8' })
    } catch (error) {
      return (error as { stdout: string }).stdout
    }
  }
  expect(compile()).toBe('')
})

test('a page that needs a package of a provider says how to install it', () => {
  const texts = pages.map((page) => [page, readFileSync(join(root, page), 'utf8')] as const)
  const silent = texts.filter(([, text]) =>
    [...text.matchAll(/from '(@ai-sdk\/[\w-]+)'/g)].some(([, name]) => !text.includes(`npm install ${name}`)),
  )
  expect(silent.map(([page]) => page)).toEqual([])
})

test('every app to copy listens on this machine alone: its login may be a toy', () => {
  const files = globSync(
    ['README.md', 'docs/**/*.md', 'examples/*/*.{ts,js,md}', 'packages/bridle/templates/**/*.{ts,js,md}'],
    {
      cwd: root,
      exclude: ['**/node_modules/**', '**/*.{test,suite}.ts'],
    },
  )
  // `serve` of Hono and `listen` of node:http and Express take every address, unless one is named. A server of Vite has its own.
  const calls = files.flatMap((file) =>
    [...readFileSync(join(root, file), 'utf8').matchAll(/\b(?:serve\(\s*\{[^}]*\}|(?<!page)\.listen\([^\n]*)/g)].map(
      ([call]) => `${file}: ${call}`,
    ),
  )
  expect(calls.length).toBeGreaterThan(4)
  expect(calls.filter((call) => !call.includes("'127.0.0.1'"))).toEqual([])
})
