/** The pages in order. A page without rows is not the last one where it has a `next`: the server had read enough for one request. */
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
