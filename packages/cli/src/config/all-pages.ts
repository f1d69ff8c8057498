/** An empty page may not be the last one: the server limits its work per request. */
export async function* allPages<P extends { readonly next?: string | number | undefined }>(
  read: (cursor: string | undefined) => Promise<P>,
): AsyncGenerator<P, void> {
  let cursor: string | undefined
  do {
    const page = await read(cursor)
    yield page
    cursor = page.next?.toString()
  } while (cursor !== undefined)
}
