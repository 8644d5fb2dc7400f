// Stands for the caches of got, of answers and of names of hosts, which drv never asks for. got compares errors with
// the class, so there is one.
export class CacheError extends Error {}
export default class Cache {
  constructor() {
    throw new Error('The caches of got are not part of drv.')
  }
}
