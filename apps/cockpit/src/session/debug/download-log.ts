// The log of a session as a file of JSON lines. The request carries the credential, which a plain link could not.
import type { FabricClient } from 'bridle/client'

export const downloadLog = async (client: FabricClient, id: string, agent: string): Promise<void> => {
  const path = `sessions/${encodeURIComponent(id)}/export?${new URLSearchParams({ agent })}`
  const file = await (await client.request(path)).blob()
  const address = URL.createObjectURL(file)
  const link = document.createElement('a')
  link.href = address
  link.download = `${id.replaceAll(/[^\w.-]+/g, '-')}.jsonl`
  link.click()
  URL.revokeObjectURL(address)
}
