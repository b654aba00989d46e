/** Why a plugin gave no usable answer, in words for its company that say nothing about our own network. @spec D1-2.11 */
export class PluginFault extends Error {
  override readonly name = 'PluginFault';
}
