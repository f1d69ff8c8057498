// A Worker for tests: it opens a source in each request, and calls the tool that the path names.
import { mcp } from '@bridle/mcp/mcp'

interface Env {
  readonly MCP_URL: string
}

const worker = {
  fetch: async (request: Request, { MCP_URL }: Env): Promise<Response> => {
    const { pathname, searchParams } = new URL(request.url)
    const isProgram = searchParams.has('program')
    const source = isProgram ? mcp({ name: 'docs', command: 'ls' }) : shared(MCP_URL)
    const { signal } = new AbortController()
    try {
      const { tools, close } = await source.open({ sessionId: 's', tenant: 't', signal })
      const tool = tools.find(({ name }) => name === pathname.slice(1))
      const session = { artifact: async () => {} } as never
      const result = await tool?.run(await request.json(), { signal, stepKey: 'k', session })
      await close?.()
      return Response.json({ result })
    } catch (error) {
      const { code, message } = error as { code?: string; message: string }
      return Response.json({ code, message }, { status: 500 })
    }
  },
}

let source: ReturnType<typeof mcp> | null = null
/** The source of all requests, as an agent has it. */
const shared = (url: string) => {
  source ??= mcp({ name: 'docs', url })
  return source
}

export default worker
