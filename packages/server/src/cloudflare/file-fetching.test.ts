import { expect, test } from 'vitest'
import { workerFileFetcher } from './file-fetching.ts'

test('[OH105] a Worker asks only hosts that are named one by one, and follows redirects to these alone', async () => {
  const asked: unknown[] = []
  const answers: Record<string, Response> = {
    'https://a.example/1': new Response(null, { status: 302, headers: { location: 'https://b.example/2' } }),
    'https://b.example/2': new Response('file', { headers: { 'content-encoding': 'gzip' } }),
    'https://a.example/3': new Response(null, { status: 302, headers: { location: 'https://c.example/4' } }),
  }
  const fetcher = workerFileFetcher({ fetch: ['a.example', 'b.example'] }, async (url, { redirect }) => {
    asked.push([url, redirect])
    return answers[url] as Response
  })
  expect(await fetcher?.fetch('https://a.example/1')).toMatchObject({ bytes: new TextEncoder().encode('file') })
  expect(await fetcher?.fetch('https://a.example/3')).toMatchObject({ outcome: 'refused' })
  expect(asked).toEqual([
    ['https://a.example/1', 'manual'],
    ['https://b.example/2', 'manual'],
    ['https://a.example/3', 'manual'],
  ])
  expect(() => workerFileFetcher({ fetch: ['a.example', '*.b.example'] })).toThrow('Name each host')
  expect(workerFileFetcher({})).toBeNull()
})
