export function bundle(entry: URL): Promise<Uint8Array>
