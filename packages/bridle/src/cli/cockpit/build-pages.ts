// The page at `/` while the cockpit of a checkout is being built, and where its build failed.
import { elapsedText } from '../../words/index.ts'

/** Reloads itself until the app is there. */
export const buildingPage = (elapsedMs: number): Response =>
  page(
    503,
    'The cockpit is being built',
    `<p>It takes a few seconds after the first start; ${elapsedText(elapsedMs)} so far. The server already answers: <a href="/docs">every route</a>.</p>`,
    { refresh: '1', 'retry-after': '1' },
  )

export const buildFailedPage = (problem: string): Response =>
  page(
    500,
    'The cockpit could not be built',
    `<p>Run <code>npm ci</code> and start again. The server itself works: <a href="/docs">every route</a>.</p><pre>${escaped(problem)}</pre>`,
  )

/** Both pages carry their own styles, so their policy is their own: no script at all. */
const POLICY = "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; frame-ancestors 'none'"

const STYLE = `body{font:14px/22px system-ui,sans-serif;max-width:36em;margin:20vh auto 0;padding:0 16px;color:#2b2926;background:#fdfcfb}
h1{font-size:20px}pre{white-space:pre-wrap;overflow-wrap:anywhere;font-size:12px}
@media(prefers-color-scheme:dark){body{color:#eceae7;background:#161513}a{color:#9db8f5}}`

const page = (status: number, title: string, body: string, headers: Record<string, string> = {}): Response =>
  new Response(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${title} · Bridle</title><style>${STYLE}</style><main><h1>${title}</h1>${body}</main></html>`,
    {
      status,
      headers: {
        'content-type': 'text/html; charset=utf-8',
        'cache-control': 'no-store',
        'content-security-policy': POLICY,
        ...headers,
      },
    },
  )

const escaped = (text: string): string => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')
