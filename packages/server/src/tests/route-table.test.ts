// The declarations of the route table, compared with the documents. The walk over a running server proves that it obeys them.
import { readFileSync } from 'node:fs'
import { httpWires, socketWires } from '@bridle/surfaces/all'
import { routeTable } from '@bridle/surfaces/app'
import { SCOPES } from '@bridle/surfaces/http/access/authenticate'
import { expect, test } from 'vitest'

const rows = routeTable(httpWires)
const nameOf = (method: string, path: string) => `${method.toUpperCase()} ${path.replaceAll(/:\w+/g, ':x')}`

/** A ticket changes nothing that another caller can see. */
const HARMLESS = ['POST /tickets']

test('[H25] every route is in the documents, with the scope that they promise', () => {
  const promised = new Map<string, string>()
  for (const page of ['http', 'frontend', 'history', 'openharness']) {
    const text = readFileSync(new URL(`../../../../docs/protocol/${page}.md`, import.meta.url), 'utf8')
    for (const [, method = '', cell = '', scope = '', answer = ''] of text.matchAll(
      /^\| (GET|POST|PATCH|DELETE) \| (.*?) \| (\w+)(?: and \w+)? \| (.*) \|$/gm,
    )) {
      const paths = [...`${cell} ${answer}`.matchAll(/`(\/[^`?]*)`/g)].map(([, path = '']) => path)
      for (const path of paths) {
        const name = nameOf(method, path)
        expect([name, promised.get(name) ?? scope]).toEqual([name, scope])
        promised.set(name, scope)
      }
    }
  }
  const served = rows.map(({ method, path, scope }) => [nameOf(method, path), scope] as const)
  expect(Object.fromEntries(served)).toEqual(Object.fromEntries(promised))
  for (const { path, scope } of socketWires) expect([path, promised.get(nameOf('get', path))]).toEqual([path, scope])
})

test('[H14] what changes something needs more than looking on', () => {
  for (const { method, path, scope } of rows) {
    const name = `${method.toUpperCase()} ${path}`
    expect(SCOPES.includes(scope as (typeof SCOPES)[number]) || scope === 'open', name).toBe(true)
    if (method !== 'get' && !HARMLESS.includes(name)) expect([name, scope]).not.toEqual([name, 'observe'])
    if (scope === 'open') expect([name, method]).toEqual([name, 'get'])
  }
})

test('[H13] a route that names a session finds it before anything else, so that nobody can forget to', () => {
  const unchecked = rows.filter(({ path, session, scope }) => path.includes(':id') && !session && scope !== 'open')
  // Neither route looks at a session: one refuses every request, the other asks for an upgrade.
  expect(unchecked.map(({ path }) => path)).toEqual([
    '/sessions/:id/approvals/:approvalId/:verdict',
    ...socketWires.map(({ path }) => path).filter((path) => path.includes(':id')),
  ])
})
