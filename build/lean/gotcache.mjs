// Replaces the caches of got for responses and host names, which drv never uses. got compares errors with the
// class, so it exists.
export class CacheError extends Error {}
export default class Cache {
  constructor() {
    throw new Error('The caches of got are not part of drv.')
  }
}
